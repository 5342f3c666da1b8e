"""The example letter in English, as plain text and as HTML; docs/letters.md shows it filled in."""

TEXT = """\
{{ sender }}

{{ recipient }}

{{ date }}
Reference: {{ reference }}

Your application

We have decided on your application. The decision is: {{ outcome }}. It was made with the help of a
statistical model, which reads the details of your application.

1. Principal reasons for the decision

{% if reasons %}
These details of your application weighed most against it, the weightiest first:

{% for reason in reasons %}
  {{ loop.index }}. {{ reason.title }}: {{ reason.value }}
{% endfor %}
{% else %}
No single detail of your application weighed against it: only several together did.
{% endif %}

2. What would have changed the decision

{% if alternatives %}
The model's decision would have been "{{ wanted }}" if the following had been different and
everything else the same. This is information about the model. It is not a promise about another
application, which will be decided with the details and the model of that time.

{% for alternative in alternatives %}
  {{ "Change" if alternatives|length == 1 else "Either" if loop.first else "Or" }}:
{% for change in alternative.changes %}
    - {{ change.title }}: {{ change.now }} now, {{ change.change_to }} then
{% endfor %}
{% endfor %}
{% elif none_exists %}
None of the changes that we consider possible would have led to another decision.
{% else %}
We have not found a change that would have led to another decision; there may be one.
{% endif %}
{% if contact is defined and contact %}

You can ask for a review of this decision by a person: {{ contact }}
{% endif %}
"""

HTML = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your application</title>
<style>body{font:12pt/1.5 Georgia,serif;max-width:40rem;margin:2rem auto;padding:0 1rem}
h2{font-size:1.1rem}.address{white-space:pre-line}@media print{body{margin:0}}</style></head>
<body>
<p>{{ sender }}</p>
<p>{{ recipient }}</p>
<p>{{ date }}<br>Reference: {{ reference }}</p>
<h1>Your application</h1>
<p>We have decided on your application. The decision is: <strong>{{ outcome }}</strong>. It was made
with the help of a statistical model, which reads the details of your application.</p>
<h2>1. Principal reasons for the decision</h2>
{% if reasons %}
<p>These details of your application weighed most against it, the weightiest first:</p>
<ol>
{% for reason in reasons %}
<li>{{ reason.title }}: {{ reason.value }}</li>
{% endfor %}
</ol>
{% else %}
<p>No single detail of your application weighed against it: only several together did.</p>
{% endif %}
<h2>2. What would have changed the decision</h2>
{% if alternatives %}
<p>The model's decision would have been “{{ wanted }}” if the following had been different and
everything else the same. This is information about the model. It is not a promise about another
application, which will be decided with the details and the model of that time.</p>
{% for alternative in alternatives %}
<p>{{ "Change" if alternatives|length == 1 else "Either" if loop.first else "Or" }}:</p>
<ul>
{% for change in alternative.changes %}
<li>{{ change.title }}: {{ change.now }} now, {{ change.change_to }} then</li>
{% endfor %}
</ul>
{% endfor %}
{% elif none_exists %}
<p>None of the changes that we consider possible would have led to another decision.</p>
{% else %}
<p>We have not found a change that would have led to another decision; there may be one.</p>
{% endif %}
{% if contact is defined and contact %}
<p>You can ask for a review of this decision by a person: {{ contact }}</p>
{% endif %}
</body></html>
"""

TEMPLATES = {"text": TEXT, "html": HTML}
