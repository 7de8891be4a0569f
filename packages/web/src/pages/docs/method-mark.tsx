const COLOURS: Readonly<Record<string, string>> = {
  GET: 'text-info',
  POST: 'text-good',
  DELETE: 'text-bad',
}

/** The method of an operation; those that change a record have a colour of their own. */
export function MethodMark({ method }: { method: string }) {
  return (
    <span className={`font-mono text-xs font-semibold ${COLOURS[method] ?? 'text-warn'}`}>
      {method}
    </span>
  )
}
