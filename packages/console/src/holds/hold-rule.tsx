import { Checkbox } from '@mantine/core'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { FormModal } from '../ui/forms/form-modal.tsx'
import { QueryResult } from '../ui/query-result.tsx'

type Props = { environmentId: string; name: string }

/** Button for the rule that places holds automatically in an environment. */
export const HoldRuleButton = ({ environmentId: id, name }: Props) => {
  const update = useApiMutation(
    (form: FormData) => {
      const mode = form.has('warns') ? ('WARN' as const) : ('ENFORCE' as const)
      return client.updateHoldRule({
        params: { id },
        body: { data: { afterRollback: form.has('afterRollback'), mode } },
      })
    },
    ['getHoldRule'],
  )
  return (
    <FormModal
      permission="environments:write"
      label="Edit hold rule"
      ariaLabel={`Edit hold rule of ${name}`}
      title={`Hold rule of ${name}`}
      submit="Save"
      change={update}
      button={{ size: 'xs', variant: 'default' }}
    >
      <AfterRollback environmentId={id} />
    </FormModal>
  )
}

const AfterRollback = ({ environmentId: id }: Pick<Props, 'environmentId'>) => {
  const rule = useOperation('getHoldRule', { params: { id } })
  return (
    <QueryResult of={rule} lines={1}>
      {({ data: { afterRollback, mode } }) => (
        <>
          <Checkbox
            name="afterRollback"
            label="Hold instances after a rollback"
            description="Blocks newer releases to an instance after its release is rolled back, until someone lifts the hold."
            defaultChecked={afterRollback}
          />
          <Checkbox
            name="warns"
            label="Warn only"
            description="Holds nothing. The audit log records what would have been held."
            defaultChecked={mode === 'WARN'}
          />
        </>
      )}
    </QueryResult>
  )
}
