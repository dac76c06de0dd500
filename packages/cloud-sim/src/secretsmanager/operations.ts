import { operations } from '../operation.ts'
import * as secrets from './secrets.ts'

/** The secrets manager's API, version 2017-10-17, as far as it is simulated. */
export const secretsOperations = operations({
  CreateSecret: secrets.createSecret,
  DescribeSecret: secrets.describeSecret,
  GetSecretValue: secrets.getSecretValue,
})
