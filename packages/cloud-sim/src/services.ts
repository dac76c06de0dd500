import { autoScalingOperations } from './autoscaling/operations.ts'
import { keyValueOperations, keyValueProtocol } from './cloudfront/key-values.ts'
import { cloudFrontOperations, cloudFrontProtocol } from './cloudfront/operations.ts'
import { ecsOperations } from './ecs/operations.ts'
import { elbOperations } from './elb/operations.ts'
import { eventOperations } from './events/operations.ts'
import { lambdaOperations, lambdaRoutes } from './lambda/operations.ts'
import { logsOperations } from './logs/operations.ts'
import { monitoringOperations, monitoringQueryCodes } from './monitoring/operations.ts'
import type { Operation } from './operation.ts'
import { queueOperations, queueQueryCodes } from './queues/operations.ts'
import { s3Operations, s3Protocol } from './s3/operations.ts'
import { ssmOperations } from './ssm/operations.ts'
import { stsOperations } from './sts.ts'
import { json10, json11 } from './wire/json.ts'
import type { Protocol } from './wire/protocol.ts'
import { query } from './wire/query.ts'
import { restJson } from './wire/rest.ts'

/** A service of the cloud: how it speaks and what it can do. */
export interface CloudService {
  protocol: Protocol
  operations: ReadonlyMap<string, Operation>
}

/** The services by the name that requests are signed for. */
export const services: Record<string, CloudService> = {
  cloudfront: { protocol: cloudFrontProtocol, operations: cloudFrontOperations },
  'cloudfront-keyvaluestore': { protocol: keyValueProtocol, operations: keyValueOperations },
  autoscaling: {
    protocol: query('http://autoscaling.amazonaws.com/doc/2011-01-01/'),
    operations: autoScalingOperations,
  },
  ecs: { protocol: json11, operations: ecsOperations },
  elasticloadbalancing: {
    protocol: query('http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/'),
    operations: elbOperations,
  },
  events: { protocol: json11, operations: eventOperations },
  logs: { protocol: json11, operations: logsOperations },
  monitoring: { protocol: json10(monitoringQueryCodes), operations: monitoringOperations },
  sqs: { protocol: json10(queueQueryCodes), operations: queueOperations },
  lambda: { protocol: restJson(lambdaRoutes), operations: lambdaOperations },
  s3: { protocol: s3Protocol, operations: s3Operations },
  ssm: { protocol: json11, operations: ssmOperations },
  sts: { protocol: query('https://sts.amazonaws.com/doc/2011-06-15/'), operations: stsOperations },
}
