def as_html(w): return ""
