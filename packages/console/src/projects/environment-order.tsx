import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Environment } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconArrowDown, IconArrowUp } from '../ui/icons.tsx'
import { moveItem } from './move-item.ts'

type Props = { projectId: string; environments: readonly Environment[] }

/** Reorders the environments of a project, which is the order of promotions. */
export const EnvironmentOrder = ({ projectId, environments }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [wanted, setWanted] = useState(environments)
  const begin = () => {
    setWanted(environments)
    save.reset()
    open()
  }
  const save = useApiMutation(
    () =>
      client.updateEnvironmentOrder({
        params: { id: projectId },
        body: { data: { order: wanted.map(({ id }) => id) } },
      }),
    ['getEnvironmentOrder'],
    close,
  )
  return (
    <>
      <PermissionButton permission="environments:write" variant="default" size="xs" onClick={begin}>
        Reorder environments
      </PermissionButton>
      <Modal opened={isOpen} onClose={close} title="Reorder environments">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Releases move from the top to the bottom.
          </Text>
          {save.error && <ErrorPanel error={errorOf(save.error)} />}
          {wanted.map(({ id, name }, index) => (
            <Group key={id} justify="space-between" wrap="nowrap">
              <Text truncate>
                {index + 1}. {name}
              </Text>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="default"
                  aria-label={`Move ${name} up`}
                  disabled={index === 0}
                  onClick={() => setWanted(moveItem(wanted, index, -1))}
                >
                  <IconArrowUp size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  aria-label={`Move ${name} down`}
                  disabled={index === wanted.length - 1}
                  onClick={() => setWanted(moveItem(wanted, index, 1))}
                >
                  <IconArrowDown size={16} aria-hidden />
                </ActionIcon>
              </Group>
            </Group>
          ))}
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={save.isPending} onClick={() => save.mutate(undefined)}>
              Save
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
