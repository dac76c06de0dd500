import type { EmbeddedCloud } from '@sluice/cloud-sim/embedded'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import type { Copy } from './copy.ts'
import { Ec2Copy } from './ec2/copy.ts'
import { EcsCopy } from './ecs/copy.ts'
import { LambdaCopy } from './lambda/copy.ts'
import { StaticCopy } from './static/copy.ts'

/** Returns the copy of what the release changes, which is not created yet. */
export function copyOf(job: RehearsalJob, cloud: EmbeddedCloud): Copy {
  switch (job.type) {
    case 'cloud:ecs':
      return new EcsCopy(job, cloud)
    case 'cloud:ec2':
      return new Ec2Copy(job, cloud)
    case 'cloud:lambda':
      return new LambdaCopy(job, cloud)
    case 'cloud:static':
      return new StaticCopy(job, cloud)
  }
}
