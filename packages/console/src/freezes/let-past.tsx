import { Text } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { client } from '../api/client.ts'
import { Here } from '../api/place.ts'
import { useChange } from '../api/use-change.ts'
import { useMay } from '../api/use-may.ts'
import { FormModal } from '../ui/forms/form-modal.tsx'
import { AnyOrAll, givenIn, type Named, OneOrAll, ReasonAndMinutes } from './past-fields.tsx'
import { placeOf } from './place.ts'

type Props = {
  freeze: Freeze
  /** Instance that the page is about. */
  instance?: Named | undefined
  /** Whether other freezes block it too, so that the label must name this one. */
  isOneOf?: boolean
}

/** Overrides a freeze for a limited time, or says who can. */
export const LetPast = (props: Props) => (
  <Here value={placeOf(props.freeze)}>
    <Offer {...props} />
  </Here>
)

const Offer = ({ freeze, instance, isOneOf = false }: Props) => {
  const { id, name } = freeze
  const { isAllowed, reason } = useMay('freezes:override')
  const label = `Override freeze${isOneOf ? ` “${name}”` : ''}…`
  const give = useChange(
    (form: FormData) =>
      client.createFreezeOverride({ params: { id }, body: { data: givenIn(form, 'moduleInstanceId') } }),
    ['listActiveFreezes', 'listFreezeOverrides', 'getDeployment', 'listDeployments'],
  )
  if (!isAllowed) {
    return (
      reason !== '' && (
        <Text size="sm">
          An admin or owner of {ofPlace(freeze)} can override{isOneOf ? ` “${name}”` : ' the freeze'} or lift it.
        </Text>
      )
    )
  }
  return (
    <FormModal
      label={label}
      ariaLabel={`${label} ${name}`}
      title={`Override “${name}”`}
      submit="Override"
      change={give}
      button={{ size: 'xs', variant: 'default' }}
    >
      {instance ? <OneOrAll one={instance} /> : <AnyOrAll place={freeze} />}
      <ReasonAndMinutes />
    </FormModal>
  )
}

function ofPlace({ projectId, environmentId }: Freeze): string {
  if (projectId === undefined) return 'the organization'
  return environmentId === undefined ? 'the project' : 'the environment'
}
