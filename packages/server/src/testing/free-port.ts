import { pickPort } from '../platform/data-dir/ports.ts'

/**
 * A port that was free a moment ago, and which no connection of somebody else is given meanwhile: those have ports of
 * another range.
 */
export const freePort = (): Promise<number> => pickPort([])
