import { CodeBlock } from '../../ui/copy.tsx'

/** A signing secret, shown once. */
export function Secret({ secret }: { secret: string }) {
  return (
    <div className="grid gap-3">
      <p className="text-sm text-ink-soft">
        Use this secret to verify the signature of each delivery. It is shown only once; to get a
        new one, rotate the secret.
      </p>
      <CodeBlock label="Signing secret" code={secret} />
    </div>
  )
}
