import type { CSSProperties } from 'react'

/** Values for a style sheet, which asks for them by variables of its own. */
export const variables = (values: Record<`--${string}`, string>): CSSProperties => values as CSSProperties
