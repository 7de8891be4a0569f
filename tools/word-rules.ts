import { posix } from 'node:path'
import { BANNED_PHRASES } from './banned-phrases.ts'

/**
 * The rules of check-words as pure functions: each takes a file's text and returns its findings.
 * A reader who knows the field must find *deadlock*, *invalidate* or *retry* by searching for it,
 * and must be able to follow every reference to a document.
 */

export type Finding = { line: number; message: string }

/** Access to the other files of the repository. */
export type Repository = {
  /** Whether a file or folder of this name exists, relative to the root. */
  exists: (path: string) => boolean
  read: (path: string) => string
}

type SourceFile = { path: string; text: string }

export function checkFile(file: SourceFile, repository: Repository): Finding[] {
  const isMarkdown = file.path.endsWith('.md')
  return [
    ...phraseFindings(file.text),
    ...openingFindings(file),
    ...(isMarkdown ? linkFindings(file, repository) : pathFindings(file, repository)),
    ...sectionFindings(file, repository),
  ].sort((a, b) => a.line - b.line)
}

const PHRASE = new RegExp(
  `\\b(?:${Object.keys(BANNED_PHRASES)
    .map((phrase) => phrase.replaceAll(' ', '\\s+'))
    .join('|')})\\b`,
  'gi',
)

export function phraseFindings(text: string): Finding[] {
  return [...unwrap(text).matchAll(PHRASE)].map((match) => {
    const phrase = match[0].toLowerCase().replaceAll(/\s+/g, ' ')
    const message = `"${phrase}": say instead ${BANNED_PHRASES[phrase]}`
    return { line: lineAt(text, match.index), message }
  })
}

const OPENING = /^(?:What|Whoever|Whose|Who|Those|That which|Of)\b/

/** Reports a comment that begins with a pronoun or a preposition instead of its subject. */
export function openingFindings(file: SourceFile): Finding[] {
  return commentsOf(file)
    .filter((comment) => OPENING.test(comment.text))
    .map(({ line, text }) => {
      const word = OPENING.exec(text)?.[0]
      return { line, message: `a comment begins with "${word}": name its subject` }
    })
}

type Comment = { line: number; text: string }

/** Leaders of whole-line comments; a comment of several such lines counts as one. */
const LINE_LEADERS: Record<string, RegExp> = {
  ts: /\/\/[/!]?/,
  sql: /--/,
  hash: /#/,
}

const BLOCK_START = /(?:\/\*\*?|<!--)\s*/g

/**
 * The comments of a source file, each as its first line of text. Works line by line without a
 * parser, so a string that looks like a comment counts as one.
 */
function commentsOf({ path, text }: SourceFile): Comment[] {
  const family = familyOf(path)
  if (family === undefined) return []
  const leader = new RegExp(`^(.*?)(?:^|\\s)(?:${LINE_LEADERS[family]?.source})\\s+(.*)$`)
  const comments: Comment[] = []
  let continues = false
  for (const [index, source] of text.split('\n').entries()) {
    const match = leader.exec(source)
    const isWholeLine = match?.[1]?.trim() === ''
    if (match && !(isWholeLine && continues))
      comments.push({ line: index + 1, text: match[2] ?? '' })
    continues = isWholeLine
  }
  return [...comments, ...(family === 'hash' ? [] : blockComments(text))]
}

function blockComments(text: string): Comment[] {
  return [...text.matchAll(BLOCK_START)].map((match) => {
    const start = match.index + match[0].length
    const rest = text.slice(start, start + 200).replace(/^\*\s*/, '')
    return { line: lineAt(text, match.index), text: rest }
  })
}

function familyOf(path: string): string | undefined {
  const ext = posix.extname(path)
  if (/^\.(ts|tsx|mjs|js|sol|rs|css|html)$/.test(ext)) return 'ts'
  if (ext === '.sql') return 'sql'
  return ext === '.md' ? undefined : 'hash'
}

/** Reports relative Markdown links whose file or heading does not exist. */
export function linkFindings(file: SourceFile, repository: Repository): Finding[] {
  const prose = withoutCode(file.text)
  const links = [...prose.matchAll(/\]\(<?([^()\s>]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)/gm)]
  return links.flatMap((match) => {
    const target = match[1] ?? match[2] ?? ''
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return []
    const message = brokenTarget(target, file, repository)
    return message ? [{ line: lineAt(file.text, match.index), message }] : []
  })
}

function brokenTarget(target: string, file: SourceFile, repository: Repository) {
  const [path = '', anchor] = target.split('#')
  const full = path === '' ? file.path : posix.join(posix.dirname(file.path), decodeURI(path))
  return missing(full, anchor, file, repository)
}

function missing(
  path: string,
  anchor: string | undefined,
  file: SourceFile,
  repository: Repository,
): string | undefined {
  if (!repository.exists(path.replace(/\/$/, ''))) return `link to nowhere: there is no ${path}`
  if (anchor === undefined || !path.endsWith('.md')) return undefined
  const text = path === file.path ? file.text : repository.read(path)
  return anchorsOf(text).has(anchor)
    ? undefined
    : `link to nowhere: ${path} has no heading for #${anchor}`
}

/** Reports `docs/...` paths in code whose file or heading does not exist. */
export function pathFindings(file: SourceFile, repository: Repository): Finding[] {
  const paths = /(?<![\w/.$}-])docs\/[\w/-]+\.[a-z]+(?:#([\w-]+))?/g
  return [...file.text.matchAll(paths)].flatMap((match) => {
    const path = match[0].split('#')[0] ?? ''
    const message = missing(path, match[1], file, repository)
    return message ? [{ line: lineAt(file.text, match.index), message }] : []
  })
}

/** GitHub's anchors: lower case, no punctuation, hyphens for spaces, -1 for the second of a name. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const seen = new Map<string, number>()
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  for (const [, id = ''] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}

/** Public documents outside the repository. */
const PUBLIC_DOCUMENT = [
  String.raw`RFC \d+`,
  String.raw`FIPS \d+(?:-\d+)?`,
  String.raw`EIP-\d+`,
  String.raw`(?:XML|JSON-RPC|WCAG|OpenID Connect [A-Z]\w+) \d\.\d`,
  'SAML (?:core|bindings|metadata|profiles)',
].join('|')
const NUMBER = String.raw`§\d+(?:\.\d+)*`
const MORE = String.raw`(?:${NUMBER}(?:,| and| or| to|;|–)\s?)*$`
const PUBLIC_SECTION = new RegExp(`(?:${PUBLIC_DOCUMENT}),? ${MORE}`)
const SPEC_SECTION = new RegExp(`spec: ([a-z][a-z-]*),? ${MORE}`)
const AREA_SECTION = new RegExp(`\\b([a-z][a-z-]*) ${MORE}`)

/** Reports `§` without a document, and sections of the specification that do not exist. */
export function sectionFindings(file: SourceFile, repository: Repository): Finding[] {
  const text = unwrap(file.text)
  return [...text.matchAll(/§(\d+(?:\.\d+)*)?/g)].flatMap((match) => {
    const before = text.slice(Math.max(0, match.index - 120), match.index).replaceAll(/\s+/g, ' ')
    const message = sectionProblem({ before, section: match[1], file, repository })
    return message ? [{ line: lineAt(file.text, match.index), message }] : []
  })
}

type Citation = {
  before: string
  section: string | undefined
  file: SourceFile
  repository: Repository
}

function sectionProblem({ before, section, file, repository }: Citation): string | undefined {
  if (/(?<!\d)0[1-4] $/.test(before)) return 'old citation: cite as `spec: <area> §<number>`'
  if (PUBLIC_SECTION.test(before)) return undefined
  const cited = SPEC_SECTION.exec(before)?.[1] ?? areaWithinSpec(before, file, repository)
  if (cited === undefined) return '§ without a document: cite as `spec: <area> §<number>`'
  const path = `docs/spec/${cited}.md`
  if (!repository.exists(path)) return `there is no ${path}`
  const text = path === file.path ? file.text : repository.read(path)
  if (section !== undefined && sectionsOf(text).has(section)) return undefined
  return `${path} has no section ${section ?? 'without a number'}`
}

/** Within the specification, `§1.2` means the same file and `platform §1.2` another. */
function areaWithinSpec(before: string, { path }: SourceFile, repository: Repository) {
  if (!path.startsWith('docs/spec/')) return undefined
  const area = AREA_SECTION.exec(before)?.[1]
  if (area !== undefined && repository.exists(`docs/spec/${area}.md`)) return area
  return posix.basename(path, '.md')
}

function sectionsOf(text: string): Set<string> {
  const headings = withoutFences(text).matchAll(/^#{1,6}\s+(\d+(?:\.\d+)*)\.?\s/gm)
  return new Set([...headings].map(([, number = '']) => number))
}

/**
 * The text with line breaks, indents and comment leaders as spaces, so that phrases are found
 * across lines. Offsets do not change.
 */
function unwrap(text: string): string {
  return text.replaceAll(/\n[^\S\n]*(?:\*(?!\/)|\/\/[/!]?|--|#+|>)?[^\S\n]*/g, blank)
}

/** Markdown without code, because brackets in code are not links. */
function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, blank)
}

function withoutFences(text: string): string {
  return text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1/gm, (fence) => fence.replaceAll(/[^\n]/g, ' '))
}

const blank = (match: string): string => ' '.repeat(match.length)

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
