const CODE =
  /(\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[A-Z]+(?:_[A-Z]+)+\b|\b[a-z]{2,5}-[0-9a-f]{8}-[0-9a-f-]+)/

/** A text of the service. Names of tools, actions, values and settings, and ids in it, are in the font of code. */
export function TextWithCodes({ children }: { children: string }) {
  return children.split(CODE).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
      <code key={place} className="font-mono text-[0.9em] break-words">
        {part}
      </code>
    ),
  )
}
