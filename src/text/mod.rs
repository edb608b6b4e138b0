//! Words to cells: width, sanitising, wrapping, Markdown, ANSI, diffs.
