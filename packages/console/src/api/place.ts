import { createContext } from 'react'

/** Where something is: in a project, or in one of its environments. */
export type Place = { projectId: string; environmentId?: string }

/**
 * What a part of a page is about: a place, something of which the service alone knows in which places it acts, or the
 * organization itself, where only a role in all of it counts.
 */
export type About = Place | { pipelineRunId: string } | { stepExecutionId: string } | 'organization'

/** What one may do is asked for what the page is about. Undefined: for the organization and anything in it. */
export const Here = createContext<About | undefined>(undefined)
