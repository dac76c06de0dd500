import { createContext } from 'react'

/** Where something is: in a project, or in one of its environments. */
export type Place = { projectId: string; environmentId?: string }

/** The place that a part of a page is about: what one may do there is asked for it. Undefined: the organization. */
export const Here = createContext<Place | undefined>(undefined)
