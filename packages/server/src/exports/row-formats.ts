/** The formats of an export that has one kind of record. */
export const ROW_FORMATS = ['ndjson', 'csv'] as const
export type RowFormat = (typeof ROW_FORMATS)[number]
