import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useFreezeRejection } from '../freezes/freeze-note.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { DifferenceList } from '../ui/difference-list.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconTestPipe } from '../ui/icons.tsx'
import { releaseDifferences } from './release-differences.ts'

type Props = {
  /** Current release. */
  live: Deployment
  /** Earlier successful release. */
  to: Deployment
  isOpen: boolean
  onClose: () => void
  /** Content above the differences, such as a selection of the target release. */
  children?: ReactNode
}

/** Shows what a rollback changes, and starts it. */
export const RollBackDialog = ({ live, to, isOpen, onClose, children }: Props) => {
  const router = useRouter()
  const [from, version] = [live, to].map(({ data }) => versionOf(releaseMarksOf(data)) ?? 'a release')
  const mutationError = useFreezeRejection('ROLLBACKS', live)
  const differences = releaseDifferences(live.data, to.data)
  const rollBack = useApiMutation(
    () => client.rollbackDeployment({ params: { id: live.id }, body: { data: { toDeploymentId: to.id } } }),
    ['listDeployments'],
    ({ data }) => router.navigate({ to: '/console/deployments/$id', params: { id: data.id } }),
  )
  const rehearse = useApiMutation(
    () =>
      client.createRehearsal({
        body: { data: { moduleInstanceId: live.moduleInstanceId, rollbackToDeploymentId: to.id } },
      }),
    [],
    ({ data }) => router.navigate({ to: '/console/rehearsals/$id', params: { id: data.id } }),
  )
  const error = rollBack.error ?? rehearse.error
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Roll back ${from} → ${version}`} size="lg">
      <Stack>
        {error && <ErrorPanel error={errorOf(error)} />}
        {children}
        <Text size="sm">{version} is deployed again without pauses. Where possible, traffic moves immediately.</Text>
        {differences.length === 0 ? (
          <Text size="sm" c="dimmed">
            No recorded differences between the two releases.
          </Text>
        ) : (
          <DifferenceList differences={differences} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <PermissionButton
            permission="deployments:write"
            variant="default"
            leftSection={<IconTestPipe size={16} aria-hidden />}
            loading={rehearse.isPending}
            onClick={() => {
              rollBack.reset()
              rehearse.mutate(undefined)
            }}
          >
            Rehearse
          </PermissionButton>
          <PermissionButton
            permission="deployments:write"
            color="red"
            loading={rollBack.isPending}
            disabledReason={mutationError}
            onClick={() => {
              rehearse.reset()
              rollBack.mutate(undefined)
            }}
            data-autofocus
          >
            Roll back
          </PermissionButton>
        </Group>
      </Stack>
    </Modal>
  )
}
