// All public headers.
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/answer.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/composition.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/model_set.hpp>
#include <boxwood/page.hpp>
#include <boxwood/picture.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/query.hpp>
#include <boxwood/query_text.hpp>
#include <boxwood/question_file.hpp>
#include <boxwood/read.hpp>
#include <boxwood/reasons.hpp>
#include <boxwood/render.hpp>
#include <boxwood/schema.hpp>
#include <boxwood/verify.hpp>
#include <boxwood/version.hpp>
