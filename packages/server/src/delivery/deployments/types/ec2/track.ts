import type { DeploymentStepCode } from '@sluice/contract'
import { createEventRecorder } from '../../execution/events.ts'
import type { Ec2State } from './state.ts'

/** Returns the steps of a release from first to last. */
export const trackOf = (): DeploymentStepCode[] => ['INIT', 'UPDATE_INSTANCES', 'PUBLISH_RELEASE', 'COMPLETED']

export const { note, reach } = createEventRecorder<Ec2State>(trackOf)
