const SOURCE = /\/packages\/server\/src\/(.+)\.ts$/

/** Resolves a source file of the service to its compiled file, and our packages to theirs. */
export function resolve(specifier, context, next) {
  const conditions = context.conditions.filter((condition) => condition !== 'source')
  return next(specifier.replace(SOURCE, '/packages/server/dist/$1.js'), { ...context, conditions })
}
