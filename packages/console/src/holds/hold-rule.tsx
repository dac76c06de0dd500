import { Checkbox } from '@mantine/core'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { FormModal } from '../ui/forms/form-modal.tsx'

type Props = { environmentId: string; name: string }

/** The button that shows and changes when instances of an environment are held by themselves. */
export const HoldRuleButton = ({ environmentId: id, name }: Props) => {
  const update = useChange(
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
      needs="environments:write"
      label="Hold rule"
      ariaLabel={`Hold rule of ${name}`}
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
    <Answer of={rule} lines={1}>
      {({ data: { afterRollback, mode } }) => (
        <>
          <Checkbox
            name="afterRollback"
            label="Hold what was rolled back"
            description="Nothing newer is released to an instance whose release was turned back, until somebody lets it go."
            defaultChecked={afterRollback}
          />
          <Checkbox
            name="warns"
            label="Only warn"
            description="Nothing is held: the audit log notes what would have been."
            defaultChecked={mode === 'WARN'}
          />
        </>
      )}
    </Answer>
  )
}
