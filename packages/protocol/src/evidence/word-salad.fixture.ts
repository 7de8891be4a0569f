/** Reasoning of an agent, in plain prose of more than 60 words for each language. */
export const PROSE: Readonly<Record<string, string>> = {
  english: `The customer asks where the parcel is. I checked the order and found that it left the
    depot in the morning, so it should arrive between nine and eleven. The policy allows a refund
    only if the parcel is lost, which is not the case here. I will therefore answer with the link to
    the carrier and offer to look again tomorrow, because that is what helped other people who
    wrote to us about the same delay.`,
  terse: `Refund request, invoice 1182, amount 48 EUR. Limit for refunds without approval: 50 EUR.
    Customer account active since 2019, no earlier complaints. Payment method: card, refund
    possible. Duplicate charge confirmed by the payment log. Next step: call refund with invoice
    1182, then send the confirmation mail in German. No personal data needed beyond the address on
    file. Afterwards close ticket 5531 and note the reason for the duplicate charge in the
    record.`,
  german: `Die Kundin fragt, wo ihr Paket bleibt. Ich habe die Bestellung geprüft und gesehen, dass
    es heute Morgen das Lager verlassen hat, also sollte es zwischen neun und elf Uhr ankommen. Eine
    Erstattung ist nach der Richtlinie nur möglich, wenn das Paket verloren ist, und das ist hier
    nicht der Fall. Ich antworte deshalb mit dem Link des Zustellers und biete an, morgen noch
    einmal nachzusehen, weil das anderen schon geholfen hat.`,
  french: `La cliente demande où se trouve son colis. J'ai vérifié la commande et j'ai vu qu'il a
    quitté l'entrepôt ce matin, il devrait donc arriver entre neuf et onze heures. Le règlement ne
    permet un remboursement que si le colis est perdu, ce qui n'est pas le cas ici. Je vais donc
    répondre avec le lien du transporteur et proposer de regarder encore une fois demain, parce que
    cela a aidé d'autres personnes qui nous ont écrit pour le même retard.`,
  spanish: `La clienta pregunta dónde está su paquete. He revisado el pedido y he visto que salió del
    almacén esta mañana, así que debería llegar entre las nueve y las once. La norma permite un
    reembolso solo si el paquete se ha perdido, y no es el caso. Por eso voy a responder con el
    enlace de la empresa de transporte y a ofrecer que lo miremos otra vez mañana, porque eso ayudó
    a otras personas que nos escribieron por el mismo retraso.`,
  portuguese: `A cliente pergunta onde está a sua encomenda. Verifiquei o pedido e vi que saiu do
    armazém esta manhã, por isso deve chegar entre as nove e as onze horas. A norma só permite um
    reembolso se a encomenda estiver perdida, e não é esse o caso. Vou então responder com a ligação
    da transportadora e propor que voltemos a ver amanhã, porque isso já ajudou outras pessoas que
    nos escreveram por causa do mesmo atraso.`,
  italian: `La cliente chiede dove si trova il suo pacco. Ho controllato l'ordine e ho visto che ha
    lasciato il magazzino questa mattina, quindi dovrebbe arrivare tra le nove e le undici. La
    regola permette un rimborso solo se il pacco è andato perso, e non è questo il caso. Risponderò
    quindi con il collegamento del corriere e proporrò di guardare ancora una volta domani, perché
    questo ha aiutato altre persone che ci hanno scritto per lo stesso ritardo.`,
  dutch: `De klant vraagt waar haar pakket blijft. Ik heb de bestelling bekeken en gezien dat het
    vanmorgen uit het magazijn is vertrokken, dus het zou tussen negen en elf uur moeten aankomen.
    Volgens de regels is een terugbetaling alleen mogelijk als het pakket verloren is, en dat is
    hier niet het geval. Ik antwoord daarom met de link van de vervoerder en bied aan om morgen nog
    een keer te kijken, omdat dat ook andere mensen heeft geholpen.`,
}

/** Words of a dictionary that hold no sentence together. */
export const DICTIONARY =
  `anchor apple autumn badge bakery balloon banjo barrel basket beacon blanket
  bottle branch bridge bucket butter cabin camera candle canyon carpet castle cellar chimney cliff
  clock cloud coffee copper cotton cradle crystal curtain dagger desert diamond donkey dragon
  eagle ember engine fabric falcon feather fiddle forest fountain garden garlic glacier goblet
  granite guitar hammer harbor hazel helmet honey horizon iceberg island ivory jacket jasmine jungle
  kettle ladder lantern lemon lettuce lizard magnet maple marble meadow mirror monkey mountain
  nectar needle nickel oasis ocean olive orchard oyster paddle palace paper parrot pebble pencil
  pepper pigeon pillow planet pocket pumpkin puzzle quarry rabbit radish ribbon river rocket saddle
  salmon sandal scarf shadow silver sparrow spoon statue summit tablet temple thunder tiger timber
  tomato tractor trumpet tulip tunnel turtle umbrella valley velvet violin volcano wagon walnut
  willow window winter yogurt zebra Apfel Bahnhof Dampfer Fenster Gabel Hafen Kirche Lampe Nadel
  Schrank arbre bateau chemin fromage jardin lumière montagne nuage oiseau pierre camino ciudad
  espejo fuego lluvia madera noche piedra puente sombra albero bicchiere chiave finestra lago
  bloem eiland fiets kasteel molen sleutel vogel wolk cidade estrela janela livro praia`
    .trim()
    .split(/\s+/)
