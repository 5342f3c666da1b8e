// Text helpers: the shortest text of a number, similar names, and text from outside made safe to
// print.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// The shortest decimal that reads back as the same double.
std::string number_text(double value);
/// The shortest decimal that reads back as the same float32.
std::string number_text(float value);

/// `Did you mean "sex"?`, or nothing when no name is near.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> names);

/// Whether all of the text is UTF-8, without surrogates and overlong forms.
bool is_utf8(std::string_view text);

/// Text from outside as it may be printed. Control characters, marks that change the direction of
/// the writing, line separators and bytes that are not UTF-8 become `\n`, `\x1b`, `\u202e`, `\xff`;
/// `keep` is left as it is. Applied twice it does no more than once.
std::string visible(std::string_view text, std::string_view keep = {});

/// A text of at most about `most` bytes: the middle of a longer one is left out, and the number of
/// its bytes given instead.
std::string cut_middle(std::string text, std::size_t most);

/// Throws Error if text is encoded in UTF-16 or UTF-32, as some programs on Windows write it.
void refuse_utf16(std::string_view text, std::string_view place);

}  // namespace boxwood
