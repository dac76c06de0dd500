import { operations } from '../operation.ts'
import type { RestRoutes } from '../wire/rest.ts'
import * as aliases from './aliases.ts'
import * as functions from './functions.ts'
import * as provisioned from './provisioned-concurrency.ts'
import * as tags from './tags.ts'
import * as versions from './versions.ts'

/** How the operations of the function API are told apart. */
export const lambdaRoutes: RestRoutes = {
  CreateFunction: 'POST /2015-03-31/functions',
  ListFunctions: 'GET /2015-03-31/functions',
  GetFunction: 'GET /2015-03-31/functions/{FunctionName}',
  DeleteFunction: 'DELETE /2015-03-31/functions/{FunctionName}',
  UpdateFunctionCode: 'PUT /2015-03-31/functions/{FunctionName}/code',
  GetFunctionConfiguration: 'GET /2015-03-31/functions/{FunctionName}/configuration',
  UpdateFunctionConfiguration: 'PUT /2015-03-31/functions/{FunctionName}/configuration',
  PublishVersion: 'POST /2015-03-31/functions/{FunctionName}/versions',
  ListVersionsByFunction: 'GET /2015-03-31/functions/{FunctionName}/versions',
  CreateAlias: 'POST /2015-03-31/functions/{FunctionName}/aliases',
  ListAliases: 'GET /2015-03-31/functions/{FunctionName}/aliases',
  GetAlias: 'GET /2015-03-31/functions/{FunctionName}/aliases/{Name}',
  UpdateAlias: 'PUT /2015-03-31/functions/{FunctionName}/aliases/{Name}',
  DeleteAlias: 'DELETE /2015-03-31/functions/{FunctionName}/aliases/{Name}',
  PutFunctionConcurrency: 'PUT /2017-10-31/functions/{FunctionName}/concurrency',
  DeleteFunctionConcurrency: 'DELETE /2017-10-31/functions/{FunctionName}/concurrency',
  PutProvisionedConcurrencyConfig: 'PUT /2019-09-30/functions/{FunctionName}/provisioned-concurrency',
  GetProvisionedConcurrencyConfig: 'GET /2019-09-30/functions/{FunctionName}/provisioned-concurrency',
  DeleteProvisionedConcurrencyConfig: 'DELETE /2019-09-30/functions/{FunctionName}/provisioned-concurrency',
  GetFunctionCodeSigningConfig: 'GET /2020-06-30/functions/{FunctionName}/code-signing-config',
  ListTags: 'GET /2017-03-31/tags/{Resource}',
  TagResource: 'POST /2017-03-31/tags/{Resource}',
  UntagResource: 'DELETE /2017-03-31/tags/{Resource}',
}

/** The function API, version 2015-03-31, as far as it is simulated. */
export const lambdaOperations = operations({
  CreateAlias: aliases.createAlias,
  CreateFunction: functions.createFunction,
  DeleteAlias: aliases.deleteAlias,
  DeleteFunction: functions.deleteFunction,
  DeleteFunctionConcurrency: functions.deleteFunctionConcurrency,
  DeleteProvisionedConcurrencyConfig: provisioned.deleteProvisionedConcurrency,
  GetAlias: aliases.getAlias,
  GetFunction: functions.getFunction,
  GetFunctionCodeSigningConfig: functions.getFunctionCodeSigningConfig,
  GetFunctionConfiguration: functions.getFunctionConfiguration,
  GetProvisionedConcurrencyConfig: provisioned.getProvisionedConcurrency,
  ListAliases: aliases.listAliases,
  ListFunctions: versions.listFunctions,
  ListTags: tags.listTags,
  ListVersionsByFunction: versions.listVersionsByFunction,
  PublishVersion: versions.publishVersion,
  PutFunctionConcurrency: functions.putFunctionConcurrency,
  PutProvisionedConcurrencyConfig: provisioned.putProvisionedConcurrency,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
  UpdateAlias: aliases.updateAlias,
  UpdateFunctionCode: functions.updateFunctionCode,
  UpdateFunctionConfiguration: functions.updateFunctionConfiguration,
})
