import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { query } from '../wire/query.ts'
import { elbOperations } from './operations.ts'
import { elbRights } from './rights.ts'
import { elb } from './state.ts'

export const elbService: CloudService = {
  title: 'Elastic Load Balancing',
  differences: [
    'Gateway load balancers and Classic Load Balancers are not simulated.',
    'The health of a target is the health of its task.',
  ],
  protocol: query('http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/'),
  operations: elbOperations,
  rights: elbRights,
  model: readModel('elasticloadbalancing.model.json', import.meta.url),
  unordered: [
    'DescribeListeners',
    'DescribeLoadBalancers',
    'DescribeRules',
    'DescribeTargetGroups',
    'DescribeTargetHealth',
  ],
  open: elb,
}
