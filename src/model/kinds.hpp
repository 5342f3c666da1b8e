// The names that our files use for the kinds of features and for the arithmetic of a model.
#pragma once

#include <boxwood/ensemble.hpp>

#include <array>
#include <utility>

namespace boxwood {

inline constexpr std::array kind_names{
    std::pair{"continuous", FeatureKind::continuous}, std::pair{"integer", FeatureKind::integer},
    std::pair{"ordinal", FeatureKind::ordinal}, std::pair{"categorical", FeatureKind::categorical}};

inline constexpr std::array precision_names{std::pair{"float32", Precision::float32},
                                            std::pair{"float64", Precision::float64}};
inline constexpr std::array order_names{std::pair{"base_first", SumOrder::base_first},
                                        std::pair{"base_last", SumOrder::base_last}};
inline constexpr std::array link_names{
    std::pair{"identity", Link::identity},       std::pair{"sigmoid", Link::sigmoid},
    std::pair{"exponential", Link::exponential}, std::pair{"softmax", Link::softmax},
    std::pair{"winner", Link::winner},           std::pair{"votes", Link::votes},
    std::pair{"square", Link::square},           std::pair{"softplus", Link::softplus},
    std::pair{"isolation", Link::isolation},     std::pair{"composed", Link::composed}};
inline constexpr std::array task_names{std::pair{"regression", Task::regression},
                                       std::pair{"binary", Task::binary},
                                       std::pair{"multiclass", Task::multiclass}};

inline constexpr std::array decision_names{
    std::pair{"output_above_half", Decision::output_above_half},
    std::pair{"score_above_zero", Decision::score_above_zero},
    std::pair{"score_from_zero", Decision::score_from_zero},
    std::pair{"score_above_half", Decision::score_above_half},
    std::pair{"largest_score", Decision::largest_score}};
inline constexpr std::array link_form_names{std::pair{"plain", LinkForm::plain},
                                            std::pair{"onnxruntime", LinkForm::onnxruntime},
                                            std::pair{"catboost", LinkForm::catboost}};
inline constexpr std::array calibration_names{
    std::pair{"sigmoid", Calibration::Kind::sigmoid},
    std::pair{"isotonic", Calibration::Kind::isotonic},
    std::pair{"temperature", Calibration::Kind::temperature},
    std::pair{"affine", Calibration::Kind::affine},
    std::pair{"quotient", Calibration::Kind::quotient},
    std::pair{"exponential", Calibration::Kind::exponential},
    std::pair{"expm1", Calibration::Kind::expm1},
    std::pair{"square", Calibration::Kind::square},
    std::pair{"square_root", Calibration::Kind::square_root}};
inline constexpr std::array response_names{std::pair{"score", Member::Response::score},
                                           std::pair{"output", Member::Response::output},
                                           std::pair{"probability", Member::Response::probability},
                                           std::pair{"vote", Member::Response::vote}};

}  // namespace boxwood
