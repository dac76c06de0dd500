import { acmService } from './acm/service.ts'
import { autoScalingService } from './autoscaling/service.ts'
import { cloudFrontService, keyValueService } from './cloudfront/service.ts'
import { codeBuildService } from './codebuild/service.ts'
import { ec2Service } from './ec2/service.ts'
import { ecrService } from './ecr/service.ts'
import { ecsService } from './ecs/service.ts'
import { elbService } from './elb/service.ts'
import { eventBridgeService } from './events/service.ts'
import { iamService } from './iam/service.ts'
import { lambdaService } from './lambda/service.ts'
import { cloudWatchLogsService } from './logs/service.ts'
import { cloudWatchByQuery } from './monitoring/by-query.ts'
import { cloudWatchService } from './monitoring/service.ts'
import { sqsService } from './queues/service.ts'
import { route53Service } from './route53/service.ts'
import { s3Service } from './s3/service.ts'
import { secretsService } from './secretsmanager/service.ts'
import type { CloudService } from './service.ts'
import { ssmService } from './ssm/service.ts'
import { stsService } from './sts/service.ts'
import type { HttpRequest } from './wire/protocol.ts'

/** All simulated services by signing name. To add one, create a folder and register it here. */
export const services: Record<string, CloudService> = {
  acm: acmService,
  autoscaling: autoScalingService,
  cloudfront: cloudFrontService,
  'cloudfront-keyvaluestore': keyValueService,
  codebuild: codeBuildService,
  ec2: ec2Service,
  ecr: ecrService,
  ecs: ecsService,
  elasticloadbalancing: elbService,
  events: eventBridgeService,
  iam: iamService,
  lambda: lambdaService,
  logs: cloudWatchLogsService,
  monitoring: cloudWatchService,
  route53: route53Service,
  s3: s3Service,
  secretsmanager: secretsService,
  sqs: sqsService,
  ssm: ssmService,
  sts: stsService,
}

/** Differences from AWS that all services share, as sentences for the README. */
export const commonDifferences = [
  'Nothing is billed, and account quotas are not enforced.',
  'Requests are throttled only while `limitsRates` is set, and only by services that publish their request rates.',
  'Permissions come from the policy of a role alone. Resource policies, boundaries and session policies are missing.',
  'Members that a model does not know are ignored in JSON and in XML.',
  'Presigned URLs are supported for S3 only.',
  'No traffic flows: load balancers and distributions accept no connections.',
]

/** Services with an additional query protocol for older clients, by the same name. */
const byQuery: Record<string, CloudService> = { monitoring: cloudWatchByQuery }

/** Returns the service for which a request is signed, with the protocol of the request. */
export function serviceFor(name: string, { headers, url }: HttpRequest): CloudService | undefined {
  const hasForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false
  return (hasForm || url.searchParams.has('Action') ? byQuery[name] : undefined) ?? services[name]
}
