import { ApiError } from '@sluice/client'
import type { UserFacingError } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { fieldProblems } from './field-problems.ts'

const refused = (error: Partial<UserFacingError>) =>
  new ApiError(400, { code: 'Sluice:Request:INVALID', message: 'The request has faults.', ...error })
const body = (...items: string[]) => refused({ details: [{ title: 'Body', render: 'list', items }] })

test(
  'API errors are assigned to their fields',
  everyCase(
    [
      [
        'each field has its own',
        body('$.data.region: expected text, such as eu-west-1', '$.data.name: expected at least 1 characters'),
        { region: 'expected text, such as eu-west-1', name: 'expected at least 1 characters' },
      ],
      ['one inside another', body('$.data.network.subnetIds: too few'), { 'network.subnetIds': 'too few' }],
      ['what is wrong with an item, the list has', body('$.data.tags[0]: a', '$.data.tags[1]: b'), { tags: 'a' }],
      [
        'a reference that leads nowhere',
        refused({ message: 'There is no cloud account ca_1.', metadata: { field: 'cloudAccountId', id: 'ca_1' } }),
        { cloudAccountId: 'There is no cloud account ca_1.' },
      ],
      [
        'an id that is taken',
        refused({ code: 'Sluice:ExecutionEnvironments:GIVEN_ID_TAKEN', message: 'There is another one.' }),
        { givenId: 'There is another one.' },
      ],
      ['nothing, where the service did not answer', new Error('offline'), {}],
      ['nothing, where nothing was refused', null, {}],
    ],
    (_what, thrown, expected) => {
      expect(fieldProblems(thrown)).toEqual(expected)
    },
  ),
)
