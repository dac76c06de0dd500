import { notesAlong } from '../events.ts'
import type { LambdaStanding } from './standing.ts'
import { trackOf } from './track.ts'

export const { note, reach } = notesAlong<LambdaStanding>(trackOf)
