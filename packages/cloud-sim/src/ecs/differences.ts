/** Known differences between the simulated ECS and AWS. */
export const ecsDifferences = [
  'Task sets, capacity providers other than Fargate, container instances and `ExecuteCommand` are not simulated.',
  'Every cluster has `FARGATE` and `FARGATE_SPOT`. Tasks of the launch type `EC2` start as if there were instances.',
  'Services of the controllers `CODE_DEPLOY` and `EXTERNAL`, and daemon services, have no tasks.',
  'Containers do not run. The image decides what happens to a task, or `--programs` names a program to run.',
  'A Lambda hook succeeds at once if its function exists.',
  '`earlySuccessCriteria`, Service Connect and VPC Lattice settings are stored and returned without effect.',
  'A deployment has no limit of 30 days, and only `SCALE_UP` has its limit of 24 hours. History never expires.',
  'A request that the model rules out gets `InvalidParameterException`. AWS does not document this code.',
]

/** Behaviour of the simulator where AWS documents none. */
export const ecsDecisions = [
  'A deployment that pauses before a traffic shift reports `PRE_PRODUCTION_TRAFFIC_SHIFT`. Answered hooks stay listed.',
  'A `ROLLBACK` answer leads through `ROLLBACK_REQUESTED`. A pause that times out and the circuit breaker do not.',
  'Pauses that are open when a deployment is superseded, stopped or rolled back end as `FAILED`.',
  'A rollback without an earlier revision ends as `ROLLBACK_FAILED`, with no tasks.',
  'A rolling deployment with alarms bakes for the largest product of `Period` and `EvaluationPeriods` of its alarms.',
  'A newer deployment waits for the end of a rollback. It replaces the revision with more than half of the traffic.',
  'Lifecycle hooks with the rolling strategy are rejected.',
  'Linear and canary deployments without load balancer, Service Connect or VPC Lattice are rejected.',
  'Services with service registries and nothing that shifts traffic are rejected for all strategies but rolling.',
  'A deployment without traffic to shift goes through all stages, with the weights of a deployment that shifts.',
  'Listener rules are rewritten in the stages that shift traffic and in `RECONCILE_SERVICE`.',
  'A deployment that skips `RECONCILE_SERVICE` checks the targets of its rules when it starts.',
  'A stop during `CLEAN_UP` has no effect: the deployment ends `SUCCESSFUL`.',
  'A stop of a deployment that has ended gets `ConflictException`.',
]
