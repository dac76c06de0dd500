import { notesAlong } from '../events.ts'
import type { EcsStanding } from './standing.ts'
import { trackOf } from './track.ts'

export const { note, reach } = notesAlong<EcsStanding>(trackOf)
