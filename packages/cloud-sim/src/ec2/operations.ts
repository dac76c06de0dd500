import { operations } from '../operation.ts'
import { describeRouteTables } from './route-tables.ts'
import { describeSecurityGroups } from './security-groups.ts'
import { describeSubnets } from './subnets.ts'
import { describeVpcs } from './vpcs.ts'
import { describeAvailabilityZones } from './zones.ts'

/** Simulated operations of EC2, API version 2016-11-15, for reading networks. */
export const ec2Operations = operations({
  DescribeAvailabilityZones: describeAvailabilityZones,
  DescribeRouteTables: describeRouteTables,
  DescribeSecurityGroups: describeSecurityGroups,
  DescribeSubnets: describeSubnets,
  DescribeVpcs: describeVpcs,
})
