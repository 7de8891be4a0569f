import { CodeBlock } from '../../ui/copy.tsx'

/** A signing secret, the one time it is told. */
export function Secret({ secret }: { secret: string }) {
  return (
    <div className="grid gap-3">
      <p className="text-sm text-ink-soft">
        Your receiver needs this secret to check that a delivery came from here. It is shown once;
        afterwards it can only be replaced.
      </p>
      <CodeBlock label="Signing secret" code={secret} />
    </div>
  )
}
