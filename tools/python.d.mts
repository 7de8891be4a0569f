export const PYTHON: string
export function usePython(): boolean
