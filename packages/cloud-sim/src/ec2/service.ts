import { readModel } from '../model/model.ts'
import { defineIamPermissions } from '../rights/right.ts'
import type { CloudService } from '../service.ts'
import { ec2 as protocol } from '../wire/ec2.ts'
import { ec2Control } from './control.ts'
import { ec2Operations } from './operations.ts'
import { ec2 } from './state.ts'

export const ec2Service: CloudService = {
  title: 'Amazon EC2',
  differences: [
    'Only networks are simulated, and only the operations that describe them. `PUT /_sim/networks` creates them.',
    'Services can name subnets and security groups that do not exist.',
    'IPv6 is not simulated.',
  ],
  protocol: protocol('http://ec2.amazonaws.com/doc/2016-11-15/'),
  operations: ec2Operations,
  // Describe operations have no resources.
  rights: defineIamPermissions({}),
  model: readModel('ec2.model.json', import.meta.url),
  unordered: [...ec2Operations.keys()],
  // "Request throttling for the Amazon EC2 API", non-mutating actions, read 2026-11
  rates: [{ operations: [...ec2Operations.keys()], burst: 100, perSecond: 20 }],
  open: ec2,
  control: ec2Control,
}
