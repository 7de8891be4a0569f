import { Link } from '@tanstack/react-router'

/** The logo and name, linked to the home page. */
export function Brand() {
  return (
    <Link to="/" className="inline-flex items-center gap-2.5 font-serif text-lg font-semibold">
      <img src="/mark.svg" alt="" width="26" height="26" />
      Touchstone
    </Link>
  )
}
