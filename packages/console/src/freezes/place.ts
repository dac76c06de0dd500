import type { Freeze } from '@sluice/contract'
import type { About } from '../api/place.ts'

/** What one must be allowed to change for it is where a freeze holds, not where it stops something. */
export const placeOf = ({ projectId, environmentId }: Pick<Freeze, 'projectId' | 'environmentId'>): About =>
  projectId === undefined ? 'organization' : { projectId, ...(environmentId !== undefined && { environmentId }) }
