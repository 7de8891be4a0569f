const SOURCE = /\/packages\/server\/src\/(.+)\.ts$/

/** Resolves a source file of the service to its compiled file. */
export function resolve(specifier, context, next) {
  return next(specifier.replace(SOURCE, '/packages/server/dist/$1.js'), context)
}
