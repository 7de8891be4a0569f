import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export const TEXT_LINK = 'text-accent underline underline-offset-2'

function Anchor({ className, ...rest }: ComponentProps<'a'>) {
  return <a {...rest} className={classNames(TEXT_LINK, className)} />
}

/** A link in a text or beside it, to a page of the dashboard. */
export const TextLink = createLink(Anchor)
