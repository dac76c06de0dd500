import { pickPort } from '../platform/data-dir/ports.ts'

/** Returns a free port outside the range of ephemeral ports, so that no outgoing connection takes it meanwhile. */
export const freePort = (): Promise<number> => pickPort([])
