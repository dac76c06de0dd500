import type { Ec2Deploy } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import type { ReleaseWithAccount } from '../deployment-type.ts'
import type { Ec2Definition } from './release.ts'
import type { Ec2State } from './state.ts'

/** Returns the release of a deploy block, and its account. */
export function releaseOf(deploy: Ec2Deploy): ReleaseWithAccount<Ec2State> {
  const { infrastructure, strategy } = deploy
  return {
    cloudAccountId: infrastructure.cloud_account_id,
    release: present({
      type: 'cloud:ec2' as const,
      region: infrastructure.region,
      autoScalingGroupName: infrastructure.autoscaling_group_name,
      logGroupName: infrastructure.log_group_name,
      definition: definitionOf(deploy),
      concurrencyMax: strategy.concurrency_max,
      errorsMax: strategy.errors_max,
      automaticRollback: strategy.automatic_rollback,
      timeoutSeconds: deploy.timeout,
    }),
  }
}

/** Returns the definition. The schema of the block guarantees that the fields of its runtime are present. */
function definitionOf({ definition, source }: Ec2Deploy): Ec2Definition {
  const { runtime, image_uri = '', commands = [] } = definition
  if (runtime === 'container') return { runtime, imageUri: image_uri }
  if (!source) return { runtime, commands }
  const { repo, branch, ref, base_path } = source
  // Empty text is the value of a blank form field; it means the same as an absent one.
  const parts = { branch: branch || undefined, ref: ref || undefined, basePath: base_path || undefined }
  return { runtime, commands, source: { repo, ...present(parts) } }
}
