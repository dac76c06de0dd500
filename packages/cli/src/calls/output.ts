/** Formats of `--output`. */
export const outputs = ['table', 'json', 'yaml', 'name'] as const
export type Output = (typeof outputs)[number]

/** Output style: text for people or, with `--output`, only the record for programs. */
export type OutputOption = { output?: Output }

/** Reports whether the whole response is printed; tables and names contain only the rows of a list. */
export const isComplete = ({ output }: OutputOption): boolean => output === 'json' || output === 'yaml'
