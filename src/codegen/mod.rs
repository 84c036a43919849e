//! Metadata + template text → source text. All target syntax lives in `templates/`.
