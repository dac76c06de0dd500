import type { TrafficShift } from '../../../cloud/facts/ecs.ts'
import type { EcsStanding } from './standing.ts'

/** The pairs of target groups between which the cloud shifts traffic: those read from the service, else the block's. */
export const shiftedPairsOf = ({ release, progress }: EcsStanding): TrafficShift[] =>
  progress.shiftedPairs ?? (release.trafficShift ? [release.trafficShift] : [])
