/**
 * The 150 commonest function words of seven languages: articles, pronouns, prepositions,
 * conjunctions, auxiliaries and the like, which hold sentences together whatever they are about.
 * Compiled by hand for this project from general knowledge of the languages, so no corpus and no
 * licence applies. Elided forms such as French `l'` are listed without their apostrophe.
 */
export const FUNCTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  english: listOf(`
    the be to of and a in that have i it for not on with he as you do at this but his by from
    they we say her she or an will my one all would there their what so up out if about who
    which when make can like no just into your some could them see other than then now only come
    its over also back after how even because any these is are was were been being has had
    having does did doing don't should may might must shall cannot can't more most such very too
    own same each every both few many much between through during before above below under again
    further once here where why while until against i'm it's that's doesn't won't another since
    though although however therefore thus whether whose whom upon within without per still yet
    already never always rather nothing
  `),
  german: listOf(`
    der die das und in zu den ist nicht von sie mit sich des auf für dem ein eine einen einem
    einer eines ich es er wir ihr als auch an bei aus nach wie im so wenn aber oder nur noch hat
    haben war waren wird werden wurde wurden sind sein seine seiner seinem seinen kann können
    könnte muss müssen soll sollen sollte will wollen würde man dass daß da dann denn weil über
    unter vor durch um bis gegen ohne zwischen während seit zum zur vom am ins beim was wer
    warum welche welcher welches dieser diese dieses diesem diesen jeder jede jedes alle alles
    mehr sehr schon immer wieder hier dort nun jetzt also doch mal ja nein kein keine keinen uns
    ihm ihn ihnen ihre ihrer ihren mein unser unsere ob damit dabei dazu davon daher darum hatte
    bin wäre hätte etwas nichts selbst sowie jedoch
  `),
  french: listOf(`
    le la les l de des d du un une et à au aux en dans par pour sur avec sans sous ce cet cette
    ces c ça cela ceci que qu qui quoi dont où je j tu il elle on nous vous ils elles me m te se
    s lui leur leurs y mon son sa ses notre nos est es suis sont sommes être été était sera
    serait soit ai a as avons avez ont avoir avait avaient aura aurait fait faire faut peut
    peuvent pouvoir doit doivent va vais ne n pas plus moins non oui si ou mais donc or ni car
    comme quand lorsque puisque parce alors ainsi aussi très trop peu tout toute tous toutes
    même mêmes autre autres aucun aucune chaque quel quelle quelque quelques entre vers chez
    contre depuis pendant avant après encore déjà toujours jamais rien ici là puis bien
  `),
  spanish: listOf(`
    el la los las un una unos unas lo de del a al en con por para sin sobre entre hasta desde
    según contra y e o u ni pero sino que si no sí como cuando donde quien cual cuales qué cómo
    cuál porque aunque mientras pues yo tú él ella ello nosotros ellos ellas usted me te se nos
    le les mi mis su sus nuestro este esta esto estos estas ese esa eso esos esas aquel es son
    ser eres era eran fue fueron sido sea sería está están estar estoy estaba ha han he hay
    haber había hemos tiene tienen puede pueden poder debe deben debo hace hacer va van más
    menos muy mucho muchos mucha muchas poco pocos todo toda todos todas otro otra otros otras
    mismo cada algo algunos nada también ya aún así entonces antes después durante ahora siempre
    nunca solo tan bien
  `),
  portuguese: listOf(`
    o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo
    pela para com sem sobre entre até desde após contra e ou nem mas que se não sim como quando
    onde quem qual porque pois embora enquanto eu tu ele ela nós eles elas você me te lhe meu
    minha seu sua seus suas nosso este esta isto estes estas esse essa isso esses essas aquele
    neste nesta disso é são ser sou era eram foi foram sido seja está estão estou há ter tem têm
    tenho pode podem posso poder poderia deve devem devo vai faz fazer mais menos muito muita
    muitos muitas pouco todo toda todos todas tudo outro outra outros outras mesmo mesma cada
    algo alguns nada também já ainda assim então depois antes durante agora sempre nunca só tão
    bem
  `),
  italian: listOf(`
    il lo la i gli le l un uno una di del dello della dei degli delle dell a al allo alla ai
    alle all da dal dalla dai dalle dall in nel nello nella nei nelle nell con su sul sulla
    sulle per tra fra senza e ed o ma se che chi cui non né sì come quando dove perché quindi
    però anche ancora lui lei noi loro mi ti si ci vi ne mio mia suo sua sue nostro questo
    questa questi queste quello quella quelle è sono sei essere era erano stato stata stati sia
    sarà sarebbe ho hai ha hanno avere aveva può possono deve devono fare va più meno molto
    molti molte poco tutto tutta tutti tutte altro altra altri altre stesso stessa ogni qualche
    nulla già sempre poi prima dopo durante contro verso fino così solo mentre oppure invece
    quale quali c d
  `),
  dutch: listOf(`
    de het een en van in is dat op te zijn met voor niet aan er om ook als maar dan of door over
    bij naar uit tot onder tussen tegen zonder na sinds tijdens volgens ik jij je u hij zij ze
    wij we hem haar hen mij me ons onze mijn uw zich die dit deze wie wat waar wanneer waarom
    hoe welke welk want omdat terwijl hoewel zodat indien toen nu dus toch nog al wel geen niets
    iets alles alle elk elke ieder veel meer meest weinig minder zeer erg heel zo zelf was waren
    ben bent wordt worden werd werden geweest heb hebt heeft hebben had hadden kan kunnen kunt
    moet moeten moest mag mogen wil willen zal zullen zou zouden gaat gaan doe doet hier daar
    nooit altijd vaak weer eerst daarom daarbij echter andere ander eigen sommige enkele beide
    men elkaar waarbij per
  `),
}

function listOf(words: string): string[] {
  return words.trim().split(/\s+/)
}
