import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { ReactNode } from 'react'
import { type PageCommand, useCommandButton } from '../../commands/page-commands.ts'
import { PermissionButton } from './permission-button.tsx'

type Props = ButtonProps & {
  /** Required permission; none by default. */
  permission?: Permission
  /** Reason why the button is disabled for everyone. */
  disabledReason?: string | undefined
  /** Command that this button runs. */
  command?: PageCommand | undefined
  label: string
  /** Label for screen readers, if the visible one is ambiguous. */
  ariaLabel?: string
  question: string
  /** Consequences of the action. */
  children: ReactNode
  onConfirm: () => void
}

/** Button for an irreversible action, with a confirmation dialog. */
export const ConfirmButton = ({
  permission,
  disabledReason,
  command,
  label,
  ariaLabel,
  question,
  children,
  onConfirm,
  ...button
}: Props) => {
  const [isAsking, { open, close }] = useDisclosure(false)
  const ref = useCommandButton(permission ? undefined : command)
  const words = { children: label, ...(ariaLabel !== undefined && { 'aria-label': ariaLabel }) }
  return (
    <>
      {permission ? (
        <PermissionButton
          {...button}
          {...words}
          permission={permission}
          disabledReason={disabledReason}
          command={command}
          onClick={open}
        />
      ) : (
        <Button {...button} {...words} ref={ref} onClick={open} />
      )}
      <Modal opened={isAsking} onClose={close} title={question}>
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            Dismiss
          </Button>
          <Button
            color="red.9"
            data-autofocus
            onClick={() => {
              close()
              onConfirm()
            }}
          >
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
