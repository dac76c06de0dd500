import type { Freeze } from '@sluice/contract'
import type { About } from '../api/place.ts'

/** Returns the scope whose permissions decide about a freeze, which is wider than what the freeze blocks. */
export const placeOf = ({ projectId, environmentId }: Pick<Freeze, 'projectId' | 'environmentId'>): About =>
  projectId === undefined ? 'organization' : { projectId, ...(environmentId !== undefined && { environmentId }) }
