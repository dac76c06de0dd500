import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

const Linked = createLink((props: Props) => <Anchor {...props} />)

/** Link to a console page, typed by its routes. */
export const TextLink: LinkComponent<(props: Props) => React.JSX.Element> = (props) => <Linked {...props} />
