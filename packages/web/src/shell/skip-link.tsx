/** The first focusable element: skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="absolute left-2 -top-12 z-50 rounded bg-raised px-3 py-2 text-sm shadow-soft focus:top-2"
    >
      Skip to content
    </a>
  )
}
