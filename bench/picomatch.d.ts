declare module 'picomatch' {
  const picomatch: (glob: string) => (text: string) => boolean
  export = picomatch
}
