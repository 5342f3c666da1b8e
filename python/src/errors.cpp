// boxwood::Error becomes boxwood.Error, with its place, reason and remedy.
#include "common.hpp"

namespace boxwood::python {

nb::object exception_of(const Error& error) {
  const nb::object kind = nb::module_::import_("boxwood.errors").attr("Error");
  return kind(error.place(), error.reason(), error.remedy(), error.excerpt());
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      const nb::object instance = exception_of(error);
      PyErr_SetObject(instance.type().ptr(), instance.ptr());
    }
  });
}

}  // namespace boxwood::python
