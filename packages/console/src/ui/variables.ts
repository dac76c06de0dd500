import type { CSSProperties } from 'react'

/** Returns inline styles with CSS variables, which module style sheets read. */
export const variables = (values: Record<`--${string}`, string>): CSSProperties => values as CSSProperties
