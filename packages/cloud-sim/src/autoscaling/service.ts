import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { query } from '../wire/query.ts'
import { autoScalingControl } from './control.ts'
import { advanceInstance } from './instances.ts'
import { autoScalingOperations } from './operations.ts'
import { autoScalingRights } from './rights.ts'
import { autoScaling } from './state.ts'

export const autoScalingService: CloudService = {
  title: 'Amazon EC2 Auto Scaling',
  decisions: [
    'A group terminates its oldest instances first.',
    'A command on a terminated instance stays `InProgress` until its delivery and execution timeouts have passed.',
  ],
  differences: [
    'Launch templates, warm pools, lifecycle hooks and instance refreshes are not simulated.',
    'Instances of groups are not EC2 instances: `DescribeInstances` does not exist.',
  ],
  protocol: query('http://autoscaling.amazonaws.com/doc/2011-01-01/'),
  operations: autoScalingOperations,
  rights: autoScalingRights,
  model: readModel('autoscaling.model.json', import.meta.url),
  unordered: ['DescribeAutoScalingGroups'],
  open(world) {
    autoScaling(world).instances.onWake((instance) => advanceInstance(world, instance))
  },
  control: autoScalingControl,
}
