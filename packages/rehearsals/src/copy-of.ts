import type { EmbeddedCloud } from '@sluice/cloud-sim/embedded'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import type { Copy } from './copy.ts'
import { EcsCopy } from './ecs/copy.ts'
import { LambdaCopy } from './lambda/copy.ts'

/** Returns the copy of what the release changes, which is not created yet. */
export const copyOf = (job: RehearsalJob, cloud: EmbeddedCloud): Copy =>
  job.type === 'cloud:ecs' ? new EcsCopy(job, cloud) : new LambdaCopy(job, cloud)
