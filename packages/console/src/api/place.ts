import { createContext } from 'react'

/** Where something is: in a project, or in one of its environments. */
export type Place = { projectId: string; environmentId?: string }

/** What a part of a page is about where the service alone knows in which places that acts. */
export type About = Place | { pipelineRunId: string } | { stepExecutionId: string }

/** What a part of a page is about: what one may do there is asked for it. Undefined: the organization. */
export const Here = createContext<About | undefined>(undefined)
